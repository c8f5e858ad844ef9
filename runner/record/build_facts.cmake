# Run at every build: writes OUTPUT from TEMPLATE when the revision or the flags have changed.
execute_process(COMMAND git describe --always --abbrev=12 --dirty --match=nothing WORKING_DIRECTORY ${SOURCE_DIR}
                OUTPUT_VARIABLE PINWISE_GIT_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
