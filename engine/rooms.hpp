// The rooms of the engine, and which of them look into which. Each room has a namespace of its own, so that two rooms
// may use the same word for different things.
#pragma once

namespace mule {

namespace store {}       // namespace store
namespace reduction {}   // namespace reduction
namespace proviso {}     // namespace proviso
namespace search {}      // namespace search
namespace parallel {}    // namespace parallel
namespace ltl {}         // namespace ltl
namespace graph {}       // namespace graph
namespace validation {}  // namespace validation

namespace proviso {
using namespace reduction;
}
namespace search {
using namespace store;
using namespace reduction;
using namespace proviso;
}  // namespace search
namespace ltl {
using namespace store;
using namespace reduction;
using namespace proviso;
using namespace search;
}  // namespace ltl
namespace graph {
using namespace store;
using namespace reduction;
using namespace proviso;
using namespace search;
using namespace ltl;
}  // namespace graph
namespace parallel {
using namespace store;
using namespace reduction;
using namespace proviso;
using namespace search;
using namespace ltl;
}  // namespace parallel
namespace validation {
using namespace reduction;
using namespace search;
}  // namespace validation

}  // namespace mule
