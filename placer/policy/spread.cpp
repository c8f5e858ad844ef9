#include "placer/policy/spread.hpp"

#include <fmt/format.h>

#include "placer/policy/place_ring.hpp"

namespace pinwise {

namespace {

/// Free places between two taken ones.
struct Stretch {
    std::size_t after = 0;  ///< the taken place before it
    std::size_t length = 0;
};

/// The first place from the start on in that state; size() for none.
std::size_t find_from_start(const PlaceRing& places, PlaceState wanted) {
    std::size_t place = places.start();
    for (std::size_t step = 0; step < places.size(); ++step) {
        if (places.state(place) == wanted) return place;
        place = places.next(place);
    }
    return places.size();
}

/// The longest stretch, once round from the taken place `taken`; the first of equals.
Stretch longest_stretch(const PlaceRing& places, std::size_t taken) {
    Stretch longest;
    Stretch current{taken, 0};
    std::size_t place = taken;
    for (std::size_t step = 0; step < places.size(); ++step) {
        place = places.next(place);
        switch (places.state(place)) {
            case PlaceState::free:
                ++current.length;
                break;
            case PlaceState::taken:
                if (current.length > longest.length) longest = current;
                current = {place, 0};
                break;
            case PlaceState::out:
                break;
        }
    }
    return longest;
}

/// The place in the middle, the earlier of two.
std::size_t middle(const PlaceRing& places, const Stretch& stretch) {
    std::size_t place = stretch.after;
    for (std::size_t left = (stretch.length + 1) / 2; left > 0;) {
        place = places.next(place);
        if (places.state(place) == PlaceState::free) --left;
    }
    return place;
}

}  // namespace

int SpreadPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const PlaceRing places(query);
    const std::size_t taken = find_from_start(places, PlaceState::taken);
    if (taken == places.size()) {
        const std::size_t first = find_from_start(places, PlaceState::free);
        if (why != nullptr) {
            why->push_back(
                {"places", fmt::format("place {}, the first of all; round: {}", first, to_string(places.round()))});
        }
        return places.cpu_of(first);
    }
    const Stretch longest = longest_stretch(places, taken);
    const std::size_t chosen = middle(places, longest);
    if (why != nullptr) {
        why->push_back({"places", fmt::format("place {} of {}, the middle of {} free ones; round: {}", chosen,
                                              places.size(), longest.length, to_string(places.round()))});
    }
    return places.cpu_of(chosen);
}

}  // namespace pinwise
