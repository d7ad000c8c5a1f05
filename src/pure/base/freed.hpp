// Lets a unique_ptr free an object of a C library with that library's own function.
#pragma once

namespace gputide {

//   std::unique_ptr<X509, freed<X509_free>>
template <auto free_it>
struct freed {
    template <class T>
    void operator()(T* what) const {
        free_it(what);
    }
};

}  // namespace gputide
