// What searches without a state store show Python, and how every search calls back.
#pragma once

#include <nanobind/nanobind.h>

#include "search/search.hpp"

namespace mule {

// Calls `callback` with the lock held; None: never. The object must outlive what is returned.
inline Watch::Callback watch_from_python(nanobind::object& callback) {
    if (callback.is_none()) return {};
    return [&callback](const Progress& progress) {
        nanobind::gil_scoped_acquire lock;
        return nanobind::cast<bool>(callback(progress));
    };
}

void bind_stateless(nanobind::module_& module);

}  // namespace mule
