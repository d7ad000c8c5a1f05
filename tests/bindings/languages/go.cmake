# Go, on the library of this build.  Each test begins with the look whether a Go is there that is new enough.
set(go ${PROJECT_SOURCE_DIR}/bindings/go)
set(with_go ${CMAKE_CURRENT_SOURCE_DIR}/languages/with_go.sh)
set(program ${CMAKE_CURRENT_BINARY_DIR}/go_conformance)
add_test(NAME bindings_go_build COMMAND ${with_go} go build -o ${program} ./cmd/conformance WORKING_DIRECTORY ${go})
add_test(NAME bindings_go_vet COMMAND ${with_go} bash -c "go vet ./... && diff /dev/null <(gofmt -d .)" WORKING_DIRECTORY ${go})
add_test(NAME bindings_go COMMAND ${with_go} go test ./... WORKING_DIRECTORY ${go})
add_test(NAME bindings_go_conformance COMMAND gputide_conformance --through ${program} ${cases})
add_test(NAME bindings_go_doors COMMAND Python3::Interpreter ${doors_test} $<TARGET_FILE:gputide_door> ${program})
set_tests_properties(bindings_go_build PROPERTIES FIXTURES_SETUP go_conformance)
set_tests_properties(bindings_go_conformance bindings_go_doors PROPERTIES FIXTURES_REQUIRED go_conformance)
set_tests_properties(bindings_go_build bindings_go_vet bindings_go bindings_go_conformance bindings_go_doors PROPERTIES
    ENVIRONMENT "GPUTIDE_LIBRARY=$<TARGET_FILE:gputide>;CC=${CMAKE_C_COMPILER}")
