# simdjson inside the library, hidden: a host may export another one, and the dynamic linker would give us the host's.
# Debian ships no archive of it.  The processor chooses between its kernels haswell (AVX2) and fallback; docs/decisions.md
# says why the other two are left out.
set(version 3.0.1-1)
gputide_debian_source(source simdjson=${version} OPTION GPUTIDE_SIMDJSON_SOURCE)
set(kernels SIMDJSON_IMPLEMENTATION_WESTMERE=0 SIMDJSON_IMPLEMENTATION_ICELAKE=0)
list(TRANSFORM kernels PREPEND -D OUTPUT_VARIABLE without_kernels)
set(compile ${CMAKE_CXX_COMPILER} -std=c++17 -O3 -DNDEBUG -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
    -ffunction-sections -fdata-sections ${GPUTIDE_HARDENED_ARCHIVE} ${without_kernels} -I${source}/singleheader)
# Nothing calls parse_many: the second instance of the parser that it needs, 10 kB for each kernel, is left out.
set(without_streams "s/stage2::tape_builder::parse_document<true>([*]this, _doc)/UNSUPPORTED_ARCHITECTURE/")
gputide_archive(gputide_simdjson NAME simdjson VERSION ${version} SOURCE ${source}
    BUILD sh -c "sed '${without_streams}' ${source}/singleheader/simdjson.cpp >simdjson.cpp && \"$@\" -c simdjson.cpp -o simdjson.o && ${CMAKE_AR} rcs libsimdjson.a simdjson.o" sh ${compile})
target_compile_definitions(gputide_simdjson INTERFACE ${kernels})
