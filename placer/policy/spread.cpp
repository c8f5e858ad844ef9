#include "placer/policy/spread.hpp"

#include <fmt/format.h>

#include "placer/policy/place_ring.hpp"

namespace pinwise {

namespace {

/// A stretch of free places behind a taken one.
struct Stretch {
    int length = 0;
    int middle = -1;  ///< core in the middle, the earlier of two
};

/// Reads free and taken places in ring order and keeps the longest stretch, the first of equals.
class LongestStretch {
public:
    explicit LongestStretch(const PlaceRing& places) : places_(places) {}

    void free_place(int core) {
        ++current_.length;
        if (current_.length == 1) {
            current_.middle = core;
        } else if (current_.length % 2 == 1) {
            do
                current_.middle = places_.next(current_.middle);
            while (!places_.is_free(current_.middle));
        }
    }

    void end() {
        if (current_.length > longest_.length) longest_ = current_;
        current_ = {};
    }

    [[nodiscard]] const Stretch& longest() const { return longest_; }

private:
    const PlaceRing& places_;
    Stretch current_;
    Stretch longest_;
};

/// The first core from the start on that `wanted` is true for; -1 for none.
template <class Wanted>
int find_from_start(const PlaceRing& places, Wanted wanted) {
    int core = places.start();
    for (int step = 0; step < places.size(); ++step) {
        if (wanted(core)) return core;
        core = places.next(core);
    }
    return -1;
}

}  // namespace

int SpreadPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const PlaceRing places(query);
    const int taken = find_from_start(places, [&](int core) { return places.is_taken(core); });
    if (taken < 0) {
        const int first = find_from_start(places, [&](int core) { return places.is_free(core); });
        if (why != nullptr) why->push_back({"places", fmt::format("core {}, the first of all", first)});
        return places.cpu_of(first);
    }
    LongestStretch stretches(places);
    int core = taken;
    for (int step = 0; step < places.size(); ++step) {
        core = places.next(core);
        if (places.is_free(core)) {
            stretches.free_place(core);
        } else if (places.is_taken(core)) {
            stretches.end();
        }
    }
    const Stretch& longest = stretches.longest();
    if (why != nullptr) {
        why->push_back({"places", fmt::format("core {}, the middle of {} free ones; round: {}", longest.middle,
                                              longest.length, to_string(places.round()))});
    }
    return places.cpu_of(longest.middle);
}

}  // namespace pinwise
