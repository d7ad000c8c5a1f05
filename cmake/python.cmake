# What a wheel holds beside the Python files: libgputide.so.1 in the package's folder, under the name by which it is looked for.
# bindings/python/pyproject.toml installs this component alone.
install(FILES $<TARGET_FILE:gputide> DESTINATION gputide RENAME libgputide.so.1 COMPONENT python EXCLUDE_FROM_ALL)
