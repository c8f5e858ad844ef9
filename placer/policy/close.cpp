#include "placer/policy/close.hpp"

#include <fmt/format.h>

#include "placer/policy/place_ring.hpp"

namespace pinwise {

int ClosePolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const PlaceRing places(query);
    std::size_t chosen = places.start();
    while (places.state(chosen) != PlaceState::free)
        chosen = places.next(chosen);
    if (why != nullptr) {
        why->push_back({"places", fmt::format("place {} of {}, the next free one from {}; round: {}", chosen,
                                              places.size(), places.start(), to_string(places.round()))});
    }
    return places.cpu_of(chosen);
}

}  // namespace pinwise
