#include "placer/policy/running_rule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <optional>

#include <fmt/format.h>

#include "placer/quoted.hpp"

namespace pinwise {

namespace {

struct Version {
    int major = 0;
    int minor = 0;
    int patch = 0;
    auto operator<=>(const Version&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

std::string to_text(const Version& version) {
    return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// MAJOR.MINOR[.PATCH] at the start of the text.
std::optional<Version> read_version(std::string_view text) {
    Version version;
    const auto major = take_number(text);
    if (!major || !text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
    const auto minor = take_number(text);
    if (!minor) return std::nullopt;
    version.major = *major;
    version.minor = *minor;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        version.patch = take_number(text).value_or(0);
    }
    return version;
}

struct Evidence {
    Version version;
    std::string source;         ///< what the version was read from
    bool patch_is_told = true;  ///< false: a distribution's 6.8.0-45-generic
};

std::optional<Evidence> read_evidence(const KernelIdentity& kernel) {
    constexpr std::string_view debian = "Debian ";
    const std::string_view build = kernel.version;
    if (const auto at = build.find(debian); at != std::string_view::npos) {
        if (const auto version = read_version(build.substr(at + debian.size())))
            return Evidence{*version, "uname -v", true};
    }
    const auto version = read_version(kernel.release);
    if (!version) return std::nullopt;
    const bool hidden = version->patch == 0 && kernel.release.find('-') != std::string::npos;
    return Evidence{*version, "uname -r", !hidden};
}

/// First rule of each generation, newest first.
struct Generation {
    int major;
    int minor;
    std::string_view rule;
};
constexpr std::array generations{Generation{6, 19, "6.19"}, Generation{6, 0, "6.0"}, Generation{5, 18, "5.18"},
                                 Generation{5, 11, "5.11"}, Generation{5, 5, "5.5"}};

/// Stable series that took the fix of 6.19, and the rule they follow since.
struct FixedSeries {
    Version first_fixed;
    std::string_view rule;
};
constexpr std::array fixed_series{FixedSeries{{5, 10, 261}, "5.10.261"}, FixedSeries{{6, 1, 178}, "6.19"},
                                  FixedSeries{{6, 6, 145}, "6.19"}, FixedSeries{{6, 12, 117}, "6.19"},
                                  FixedSeries{{6, 18, 39}, "6.19"}};

std::string_view rule_before_fixes(const Version& version) {
    for (const Generation& generation : generations) {
        if (std::pair(version.major, version.minor) >= std::pair(generation.major, generation.minor))
            return generation.rule;
    }
    return {};
}

const FixedSeries* series_of(const Version& version) {
    const auto found = std::ranges::find_if(fixed_series, [&](const FixedSeries& series) {
        return series.first_fixed.major == version.major && series.first_fixed.minor == version.minor;
    });
    return found == fixed_series.end() ? nullptr : &*found;
}

/// Red Hat's kernels (and their rebuilds) keep one number for years and take the scheduler of later releases.
bool is_rebased(const KernelIdentity& kernel) {
    return kernel.release.find(".el") != std::string::npos;
}

std::string caveats(const KernelIdentity& kernel, const Evidence& evidence, const FixedSeries* series) {
    if (is_rebased(kernel))
        return "; this distribution takes the scheduler of later releases, so the number says little";
    if (series != nullptr && !evidence.patch_is_told) {
        return fmt::format("; the stable release is not told: from {} on it would be {}", to_text(series->first_fixed),
                           series->rule);
    }
    constexpr Version longterm_5_15{5, 15, 0};
    if (evidence.version.major == longterm_5_15.major && evidence.version.minor == longterm_5_15.minor)
        return "; later releases of 5.15 may count allowed CPUs only, which this rule does not";
    return "";
}

}  // namespace

Result<RunningRule> rule_of_kernel(const KernelIdentity& kernel) {
    const auto evidence = read_evidence(kernel);
    if (!evidence) {
        return usage_error(
            fmt::format("policy idlest@running: kernel release {} has no version that can be read: name "
                        "the rule, see pinwise list policies",
                        in_quotes(kernel.release)));
    }
    const FixedSeries* series = series_of(evidence->version);
    const bool fixed = series != nullptr && evidence->version >= series->first_fixed;
    const std::string_view name = fixed ? series->rule : rule_before_fixes(evidence->version);
    if (name.empty()) {
        return usage_error(
            fmt::format("policy idlest@running: Linux {} places by load, which is not modelled: the "
                        "oldest rule is idlest@5.5",
                        to_text(evidence->version)));
    }
    std::string why = fmt::format("Linux {} ({})", to_text(evidence->version), evidence->source);
    if (fixed) why += fmt::format(" has the fix that its series took in {}", to_text(series->first_fixed));
    why += caveats(kernel, *evidence, fixed ? nullptr : series);
    return RunningRule{find_kernel_rule(name), std::move(why)};
}

Result<std::optional<RunningRule>> rule_meant_by(std::string_view policy, const KernelIdentity& running) {
    constexpr std::string_view prefix = "idlest@";
    if (!policy.starts_with(prefix)) return std::nullopt;
    const std::string_view text = policy.substr(prefix.size());
    if (text == "running") return rule_of_kernel(running).map([](RunningRule rule) { return std::optional(rule); });
    const bool is_version = text.find_first_not_of("0123456789.") == std::string_view::npos && read_version(text);
    if (find_kernel_rule(text) != nullptr || !is_version) return std::nullopt;
    auto named = rule_of_kernel({.release = std::string(text), .version = ""});
    if (!named)
        return usage_error(fmt::format("policy {}: kernels before 5.5 place by load, which is not modelled", policy));
    named->why = fmt::format("the rule of Linux {}", text);
    return std::optional(*std::move(named));
}

Result<std::string> concrete_policy_name(std::string_view name, const KernelIdentity& running) {
    const auto meant = rule_meant_by(name, running);
    if (!meant) return tl::unexpected(meant.error());
    return *meant ? fmt::format("idlest@{}", (*meant)->rule->name) : std::string(name);
}

}  // namespace pinwise
