# uPlot, which draws the charts of `gputided replay --html`: from its npm package, pinned and checked, kept beside the other sources.
# Without it the report has its figures and says that the charts are missing.
set(GPUTIDE_UPLOT_SOURCE "" CACHE PATH "Folder of an unpacked npm package uplot; empty: npm fetches it")
set(GPUTIDE_UPLOT_VERSION 1.6.32)
set(GPUTIDE_UPLOT_SHA512
    2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023)

# gputide_find_uplot(out): the folder with uPlot.iife.min.js and uPlot.min.css; "" where it cannot be had.
function(gputide_find_uplot out)
    set(${out} "" PARENT_SCOPE)
    if(GPUTIDE_UPLOT_SOURCE)
        set(${out} ${GPUTIDE_UPLOT_SOURCE}/dist PARENT_SCOPE)
        return()
    endif()
    set(cache $ENV{XDG_CACHE_HOME})
    if(NOT cache)
        set(cache $ENV{HOME}/.cache)
    endif()
    set(folder ${cache}/gputide/uplot-${GPUTIDE_UPLOT_VERSION})
    set(archive ${folder}/uplot-${GPUTIDE_UPLOT_VERSION}.tgz)
    find_program(GPUTIDE_NPM npm)
    if(NOT EXISTS ${archive} AND GPUTIDE_NPM)
        file(MAKE_DIRECTORY ${folder})
        execute_process(COMMAND ${GPUTIDE_NPM} pack --silent uplot@${GPUTIDE_UPLOT_VERSION} WORKING_DIRECTORY ${folder}
            OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
    endif()
    if(NOT EXISTS ${archive})
        message(STATUS "uPlot ${GPUTIDE_UPLOT_VERSION} cannot be fetched (npm, or -DGPUTIDE_UPLOT_SOURCE=FOLDER): "
            "replay's reports have figures without charts")
        return()
    endif()
    file(SHA512 ${archive} found)
    if(NOT found STREQUAL GPUTIDE_UPLOT_SHA512)
        message(FATAL_ERROR "${archive}: is not uPlot ${GPUTIDE_UPLOT_VERSION}, its SHA-512 is ${found}; remove it")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder} PATTERNS package/dist/uPlot.iife.min.js package/dist/uPlot.min.css)
    set(${out} ${folder}/package/dist PARENT_SCOPE)
endfunction()
