#pragma once
/// The part of a page that belongs to one comparison. Pure.

#include "runner/report/page.hpp"

namespace pinwise::report {

/// `id` is the prefix of the section's anchors.
Html comparison_section(const ResultsData& data, const ComparisonReport& report, const Pictures& pictures,
                        const std::string& id);

}  // namespace pinwise::report
