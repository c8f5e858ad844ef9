#include "placer/policy/os.hpp"

namespace pinwise {

int OsPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* /*why*/) const {
    return query.waker;
}

}  // namespace pinwise
