/* Whether a library of ours works in this process; its executable exports symbols of its own. */
#ifndef GPUTIDE_TESTS_FAULTS_CHECKS_H
#define GPUTIDE_TESTS_FAULTS_CHECKS_H

/* words, count of them 5 or 6:
 *   PROGRAM local|global|deepbind LIBRARY whole URL CA_FILE     parses, decides, and decides from what URL answers
 *   PROGRAM local|global|deepbind LIBRARY refused SYMBOL        parses and decides; a scaler and a runtime fail, and name SYMBOL
 * Returns an exit status; what is wrong is on stderr. */
int check_library(int count, const char* const* words);

#endif
