// The words of a state as a constant: loops over small states are unrolled.
#pragma once

namespace mule::store {

// Calls `make.operator()<W>()`, where W is the number of words up to 4, and 0 for larger states.
template <typename Make>
auto for_width(unsigned words, Make&& make) {
    switch (words) {
        case 1:
            return make.template operator()<1>();
        case 2:
            return make.template operator()<2>();
        case 3:
            return make.template operator()<3>();
        case 4:
            return make.template operator()<4>();
        default:
            return make.template operator()<0>();
    }
}

}  // namespace mule::store
