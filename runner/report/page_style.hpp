#pragma once
/// The look of the page: phone to desktop, light and dark, on paper.

#include <string_view>

namespace pinwise::report {

inline constexpr std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --card: #f5f6f8; --text: #16181d; --quiet: #555b66; --line: #c9ced6;
  --axis: #6b7280; --grid: #d5d9e0; --link: #00568a; --good: #006b4e; --many: #b34700; --on-many: #ffffff;
  --one: #0072b2; --on-one: #ffffff; --note: #fff3d6; --on-note: #3d2c00;
  --s1: #0072b2; --s2: #d55e00; --s3: #009e73; --s4: #b8578c;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1d2127; --text: #e8eaed; --quiet: #a9b0bb; --line: #3b424d;
    --axis: #8b94a3; --grid: #333a44; --link: #7cc4f4; --good: #4fd1a5; --many: #f0883e; --on-many: #14171b;
    --one: #56b4e9; --on-one: #0b1a24; --note: #3a2f12; --on-note: #ffe6ad;
    --s1: #56b4e9; --s2: #e8711a; --s3: #1fbf92; --s4: #dd93bd;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--link); }
p, ul { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; }
.quiet, figcaption, .legend { color: var(--quiet); font-size: .875rem; }
.headline { font-size: 1.15rem; font-weight: 650; margin: .25rem 0 .5rem; }
.answer { background: var(--card); border-left: 4px solid var(--one); padding: .75rem 1rem; margin: 1rem 0; }
.note { background: var(--note); color: var(--on-note); padding: .5rem .75rem; margin: .75rem 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 33rem), 1fr)); gap: 1rem; }
.small.cards { grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.card { background: var(--card); padding: .75rem; min-width: 0; break-inside: avoid; }
.card h4 { margin-top: 0; }
figure { margin: 0 0 .5rem; }
figure svg { display: block; width: 100%; height: auto; max-width: 27rem; color: var(--text); }
.scroll { overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 3px solid var(--one); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; min-width: 100%; }
caption { text-align: left; color: var(--quiet); padding: .25rem 0; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: normal; }
th { font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; }
td { white-space: nowrap; }
td.text { min-width: 9rem; white-space: normal; overflow-wrap: anywhere; }
td.mask { min-width: 8rem; white-space: normal; }
caption { white-space: normal; }
.card table { font-size: .78rem; }
.card th, .card td { padding: .25rem .3rem; }
tr:target { background: var(--note); color: var(--on-note); }
.better { color: var(--good); font-weight: 650; }
.worse { color: var(--many); font-weight: 650; }
details { margin: .75rem 0; }
summary { cursor: pointer; font-weight: 600; }
.map, .package, .node, .llc { display: inline-flex; flex-wrap: wrap; gap: 3px; }
.map { display: flex; gap: .5rem; }
.package, .node { border: 1px solid var(--line); padding: .35rem; gap: .35rem; align-content: flex-start; }
.package { border-width: 2px; flex: 1 1 18rem; }
.node { flex: 1 1 auto; }
.llc { border: 1px solid var(--axis); border-radius: 3px; padding: 3px; max-width: 12.25rem; align-self: flex-start; }
.name { flex-basis: 100%; font-size: .75rem; color: var(--quiet); }
.cpu { display: inline-block; min-width: 1.25rem; height: 1.25rem; border: 1px solid var(--line); border-radius: 2px;
  text-align: center; font: .7rem/1.15rem ui-monospace, "DejaVu Sans Mono", monospace; vertical-align: middle; }
.cpu.out { background: repeating-linear-gradient(45deg, transparent 0 3px, var(--line) 3px 4px); border-style: dotted; }
.cpu.one { background: var(--one); color: var(--on-one); border-color: var(--one); }
.cpu.many { background: var(--many); color: var(--on-many); border: 2px solid var(--text); font-weight: 700; line-height: 1rem;
  padding: 0 2px; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .5rem; }
@media print {
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .cards { grid-template-columns: minmax(0, 1fr); gap: .5rem; }
  .small.cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .card { display: grid; grid-template-columns: 42% minmax(0, 1fr); column-gap: .75rem; align-items: center; }
  .card h4 { grid-column: 1 / -1; }
  .small .card { display: block; }
  .scroll { overflow: visible; }
  table, .card table { font-size: 6.5pt; }
  th, td, td.number, th.number { padding: 1pt 2pt; white-space: normal; overflow-wrap: anywhere; }
  td.text, td.mask { min-width: 0; }
  .card td, .card th { white-space: nowrap; }
  .answer, .note, .card, .cpu { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, h4 { break-after: avoid; }
  figure, tr, .map, .answer { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
}
)css";

}  // namespace pinwise::report
