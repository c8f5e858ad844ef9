#include "placer/policy/close.hpp"

#include <fmt/format.h>

#include "placer/policy/place_ring.hpp"

namespace pinwise {

int ClosePolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const PlaceRing places(query);
    int chosen = places.start();
    while (!places.is_free(chosen))
        chosen = places.next(chosen);
    if (why != nullptr) {
        why->push_back({"places", fmt::format("core {} of {}, the next free one from core {}; round: {}", chosen,
                                              places.size(), places.start(), to_string(places.round()))});
    }
    return places.cpu_of(chosen);
}

}  // namespace pinwise
