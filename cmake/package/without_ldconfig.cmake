# CPack gives a package with a library two scripts that call ldconfig, and no way to leave them out; Debian wants the trigger that
# it has already, and no script (policy 8.1.1).  Runs after cpack has made the packages.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
    if(NOT package MATCHES "/libgputide(-full|-pure)?[0-9]+_[^/]*$")
        continue()
    endif()
    set(unpacked ${CPACK_TEMPORARY_DIRECTORY}/without_ldconfig)
    file(REMOVE_RECURSE ${unpacked})
    execute_process(COMMAND dpkg-deb --raw-extract ${package} ${unpacked} COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${unpacked}/DEBIAN/postinst ${unpacked}/DEBIAN/postrm)
    execute_process(COMMAND dpkg-deb --root-owner-group --build ${unpacked} ${package} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE ${unpacked})
endforeach()
