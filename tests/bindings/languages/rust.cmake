# Rust, on the library of this build.  tests/bindings/rust has no dependency from a registry, so this needs no network; what has
# (tokio) is in rust.sh.
set(crate ${CMAKE_CURRENT_SOURCE_DIR}/rust)
set(target ${PROJECT_BINARY_DIR}/rust)
find_program(GPUTIDE_CARGO cargo)
if(NOT GPUTIDE_CARGO)
    add_test(NAME bindings_rust COMMAND sh -c "echo 'The tests of bindings/rust need cargo 1.77 (Debian: cargo-web, rustc-web)'; exit 1")
    return()
endif()
set(cargo ${GPUTIDE_CARGO} --quiet)
set(where --offline --manifest-path ${crate}/Cargo.toml)
add_test(NAME bindings_rust_build COMMAND ${cargo} build ${where} --bins --examples)
add_test(NAME bindings_rust COMMAND ${cargo} test ${where})
add_test(NAME bindings_rust_dlopen COMMAND ${cargo} test ${where} --features dlopen --test loading)
add_test(NAME bindings_rust_conformance COMMAND gputide_conformance --through ${target}/debug/gputide-conformance ${cases})
add_test(NAME bindings_rust_protocol COMMAND Python3::Interpreter ${protocol_test}
    $<TARGET_FILE:gputide_protocol> ${target}/debug/gputide-conformance)
set_tests_properties(bindings_rust_build PROPERTIES FIXTURES_SETUP bindings_rust)
set_tests_properties(bindings_rust bindings_rust_conformance bindings_rust_protocol PROPERTIES FIXTURES_REQUIRED bindings_rust)
set(folder $<TARGET_FILE_DIR:gputide_full>)
set_tests_properties(bindings_rust_build bindings_rust bindings_rust_dlopen bindings_rust_conformance bindings_rust_protocol PROPERTIES
    ENVIRONMENT "CARGO_TARGET_DIR=${target};CC=${CMAKE_C_COMPILER};GPUTIDE_LIB_DIR=${folder};GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>;LD_LIBRARY_PATH=${folder}")
