# A module is a folder src/GROUP/NAME and the objects of every *.cpp in it.  It may include the headers of exactly the modules
# that it USES: each module's headers are reached through a symbolic link of their own, so that any other include fails to build.
#
#   gputide_module(pure/decide FOR speed EXCEPT policy.cpp formula/compile USES base text manifest)
#   gputide_module(net/http FOR size USES base LIBRARIES CURL::libcurl)
#
# FOR is the goal of the release preset: speed for code that bench/ measures per decision, per sample or per byte; size for
# code that runs once per poll or manifest and waits for a network.  EXCEPT names files and folders with the other goal.
# WITHOUT names files that this build leaves out.
function(gputide_module path)
    cmake_parse_arguments(PARSE_ARGV 1 module "" "FOR" "EXCEPT;USES;LIBRARIES;WITHOUT")
    cmake_path(GET path FILENAME name)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${path})
    set(view ${PROJECT_BINARY_DIR}/modules/${name})
    file(MAKE_DIRECTORY ${view})
    file(CREATE_LINK ${folder} ${view}/${name} SYMBOLIC)

    # Linked by modules that use this one: its headers and those that they include in turn, never its objects.
    add_library(gputide_view_${name} INTERFACE)
    target_include_directories(gputide_view_${name} INTERFACE ${view})
    list(TRANSFORM module_USES PREPEND gputide_view_)
    target_link_libraries(gputide_view_${name} INTERFACE ${module_USES})

    gputide_sources(sources IN ${folder} WITHOUT ${module_WITHOUT})
    if(module_EXCEPT)
        set(exceptions)
        foreach(excepted IN LISTS module_EXCEPT)
            set(excepted ${folder}/${excepted})
            foreach(source IN LISTS sources)
                cmake_path(IS_PREFIX excepted ${source} is_inside)
                if(is_inside)
                    list(APPEND exceptions ${source})
                endif()
            endforeach()
        endforeach()
        list(REMOVE_ITEM sources ${exceptions})
        set(other_than_speed size)
        set(other_than_size speed)
        gputide_module_objects(gputide_${name}_except FOR ${other_than_${module_FOR}} IN ${name} FILES ${exceptions})
    endif()
    gputide_module_objects(gputide_${name} FOR ${module_FOR} IN ${name} FILES ${sources})
    # A target that links the objects links the libraries that they call.
    target_link_libraries(gputide_${name} PUBLIC ${module_LIBRARIES})
    if(module_EXCEPT)
        target_link_libraries(gputide_${name}_except PUBLIC ${module_LIBRARIES})
    endif()
    set_property(GLOBAL APPEND PROPERTY GPUTIDE_MODULES ${name})
endfunction()

function(gputide_module_objects target)
    cmake_parse_arguments(PARSE_ARGV 1 objects "" "FOR;IN" "FILES")
    add_library(${target} OBJECT ${objects_FILES})
    gputide_units(${target})
    gputide_optimize(${target} FOR ${objects_FOR})
    target_link_libraries(${target} PRIVATE gputide_view_${objects_IN} gputide_warnings)
    set_property(GLOBAL APPEND PROPERTY GPUTIDE_OBJECTS ${target})
endfunction()

# Since g++ 12, -Oz saves another hundredth.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-Oz GPUTIDE_TAKES_OZ)
set(GPUTIDE_SIZE_FLAG -Os)
if(GPUTIDE_TAKES_OZ)
    set(GPUTIDE_SIZE_FLAG -Oz)
endif()

# Sets the release preset's flags, and precompiles the standard headers once per goal.
function(gputide_optimize target FOR goal)
    set(headers gputide_headers_${goal})
    # Link-time optimization, each file for its own goal: it merges equal functions of different modules and inlines functions
    # with one caller.  Programs beside the library link the same objects without it.
    # No code uses dynamic_cast or typeid; the names of 600 types would take 65 kB.  Thrown types keep theirs.
    # free() does not need an object's size, which would take 7 bytes at each of 4,000 places.
    set(flags -flto -ffat-lto-objects -fno-rtti -fno-sized-deallocation)
    set(flags_for_speed -O2 ${flags})
    # Conditions of loops are not copied in front of them, nothing is moved out of them, and common expressions are not joined
    # across blocks: a hundredth of the code.
    set(flags_for_size ${GPUTIDE_SIZE_FLAG} ${flags} -fno-tree-ch -fno-tree-loop-im -fno-move-loop-invariants -fno-gcse)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        set(flags_for_speed -O2 -fno-rtti)
        set(flags_for_size ${GPUTIDE_SIZE_FLAG} -fno-rtti)
    endif()
    if(NOT DEFINED flags_for_${goal})
        message(FATAL_ERROR "${target}: FOR is neither speed nor size")
    endif()
    set(flags "$<$<CONFIG:Release>:${flags_for_${goal}}>")
    if(NOT TARGET ${headers})
        file(CONFIGURE OUTPUT ${headers}.cpp CONTENT "")
        add_library(${headers} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${headers}.cpp)
        target_link_libraries(${headers} PRIVATE gputide_warnings)
        target_compile_options(${headers} PRIVATE "${flags}")
        # A relative name, so that a compiler cache serves every checkout.
        target_include_directories(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_precompile_headers(${headers} PRIVATE <headers.hpp>)
    endif()
    target_compile_options(${target} PRIVATE "${flags}")
    target_precompile_headers(${target} REUSE_FROM ${headers})
    set_target_properties(${target} PROPERTIES GPUTIDE_GOAL ${goal})
endfunction()

# Unity builds: eight neighboring files are one unit, so that headers and templates are read once.  Names in anonymous
# namespaces must therefore be unique within a module.
function(gputide_units target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${GPUTIDE_UNITS} UNITY_BUILD_BATCH_SIZE 8)
    # g++ takes the files of a unit for headers, where a type in an anonymous namespace would be a fault.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# gputide_link_modules(gputide_test_http base http): links headers and objects of these modules.
# Code optimized for speed comes first: the linker keeps this order, and a decision took 18 % longer with its functions spread
# over the library.  Of equal inline functions the linker keeps the first, which is then the fast one.
function(gputide_link_modules target)
    gputide_objects_of(objects ${ARGN})
    list(TRANSFORM ARGN PREPEND gputide_view_)
    target_link_libraries(${target} PRIVATE ${ARGN} ${objects})
endfunction()

# Links the objects without the libraries that they call, and without the files that match the expression: what they define is weak.
function(gputide_link_objects target)
    cmake_parse_arguments(PARSE_ARGV 1 link "" "WITHOUT" "MODULES")
    gputide_objects_of(objects ${link_MODULES})
    foreach(module_objects IN LISTS objects)
        target_sources(${target} PRIVATE "$<FILTER:$<TARGET_OBJECTS:${module_objects}>,EXCLUDE,${link_WITHOUT}>")
    endforeach()
endfunction()

function(gputide_objects_of list)
    foreach(module ${ARGN})
        foreach(objects gputide_${module} gputide_${module}_except)
            if(TARGET ${objects})
                get_target_property(goal ${objects} GPUTIDE_GOAL)
                list(APPEND objects_for_${goal} ${objects})
            endif()
        endforeach()
    endforeach()
    set(${list} ${objects_for_speed} ${objects_for_size} PARENT_SCOPE)
endfunction()

# gputide_sources(list [IN folder] [WITHOUT file...]): every *.cpp below the folder, by default that of the calling
# CMakeLists.txt.  A new file is found by the next build.
function(gputide_sources list)
    cmake_parse_arguments(PARSE_ARGV 1 sources "" "IN" "WITHOUT")
    if(NOT sources_IN)
        set(sources_IN ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${sources_IN}/*.cpp)
    list(TRANSFORM sources_WITHOUT PREPEND ${sources_IN}/)
    list(REMOVE_ITEM found ${sources_WITHOUT})
    set(${list} ${found} PARENT_SCOPE)
endfunction()
