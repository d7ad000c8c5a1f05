# Contents of a wheel beside the Python files: the library in the package's folder, under the name by which it is looked for, and
# beside the package's license the notices and the SBOM of what is inside it.  bindings/python/pyproject.toml installs this component alone.
#   GPUTIDE_PYTHON_LIBRARY    the library's file
set(carried ${CMAKE_CURRENT_BINARY_DIR}/carried)
set(metadata gputide)
if(SKBUILD_METADATA_DIR)
    set(metadata ${SKBUILD_METADATA_DIR})
endif()
install(CODE "file(REMOVE_RECURSE [[${carried}]])" COMPONENT python EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND [[${CMAKE_CURRENT_LIST_DIR}/package/carry.sh]] [[${GPUTIDE_PYTHON_LIBRARY}]] [[${carried}]] COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT python EXCLUDE_FROM_ALL)
install(CODE "file(GLOB libraries [[${carried}/libgputide-full.so.*]] [[${carried}/libgputide-pure.so.*]])
    list(LENGTH libraries count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR \"a wheel has libgputide-full.so.1 or libgputide-pure.so.1: GPUTIDE_LIBRARY is ${GPUTIDE_PYTHON_LIBRARY}\")
    endif()"
    COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${carried}/ DESTINATION gputide COMPONENT python EXCLUDE_FROM_ALL USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN *.so.*)
install(FILES ${carried}/THIRD_PARTY_NOTICES DESTINATION ${metadata}/licenses COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${carried}/sbom.cdx.json DESTINATION ${metadata}/sboms COMPONENT python EXCLUDE_FROM_ALL)
