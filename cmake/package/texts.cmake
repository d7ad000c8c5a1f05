# Writes gputided's man pages and completion scripts, which the program makes from its option tables:
# cmake -DPROGRAM=gputided -DGZIP=gzip -DTO=FOLDER -P texts.cmake
file(REMOVE_RECURSE ${TO})
file(MAKE_DIRECTORY ${TO}/man1 ${TO}/completion)

function(write_output file)
    execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${TO}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

write_output(completion/gputided completion bash)
write_output(completion/_gputided completion zsh)
write_output(completion/gputided.fish completion fish)

# The first page refers to all others: ".BR gputided\-replay\-compare (1)".
write_output(man1/gputided.1 help --man)
file(STRINGS ${TO}/man1/gputided.1 references REGEX "^\\.BR gputided")
foreach(reference ${references})
    string(REGEX REPLACE "^\\.BR (gputided[^ ]*) .*" "\\1" page "${reference}")
    string(REPLACE "\\-" "-" page "${page}")
    foreach(command ${page})
        string(REGEX REPLACE "^gputided-" "" command ${command})
        string(REPLACE "-" ";" words ${command})
        write_output(man1/${page}.1 help --man ${words})
    endforeach()
endforeach()
file(GLOB pages ${TO}/man1/*.1)
execute_process(COMMAND ${GZIP} -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
