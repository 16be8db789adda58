// C3' (Peled 1996, section 5): where a successor is on the stack, the set is not given up for everything, but for one
// with all visible transitions. Enough for LTL together with V and I; not under fairness, where invisible transitions
// may not be put off for ever either. A state on the stack for which such a set was taken does for all cycles over it.
#pragma once

#include "proviso/stack.hpp"

namespace mule::proviso {

// The test is that of C3_stack; what to do where it fails is the product's business (ltl/successors.hpp).
struct C3PrimeProviso : StackProviso {};

}  // namespace mule::proviso
