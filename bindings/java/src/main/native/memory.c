/* The functions that Java needs beside the functions of jni.c: opening the library, and bytes that lie where C can read them.  Texts cross as
 * bytes in UTF-8: JNI's own text functions speak another encoding. */
#include "library.h"

#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY(name) Java_io_gputide_Memory_##name

/* A Java array of at most this many bytes can be had of every virtual machine. */
#define LARGEST_ARRAY (INT32_MAX - 8)

static char* text_of(JNIEnv* env, jbyteArray bytes) {
    if (bytes == NULL) return NULL;
    const jsize size = (*env)->GetArrayLength(env, bytes);
    char* text = malloc((size_t)size + 1);
    if (text == NULL) return NULL;
    (*env)->GetByteArrayRegion(env, bytes, 0, size, (jbyte*)text);
    text[size] = '\0';
    return text;
}

static jbyteArray array_of(JNIEnv* env, const char* data, uint64_t size) {
    if (data == NULL) return NULL;
    if (size > LARGEST_ARRAY) {
        const jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
        if (error != NULL) (*env)->ThrowNew(env, error, "a text of gputide is larger than an array can be");
        return NULL;
    }
    const jbyteArray array = (*env)->NewByteArray(env, (jsize)size);
    if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)size, (const jbyte*)data);
    return array;
}

/* NULL: the library is open; else why not. */
JNIEXPORT jbyteArray JNICALL Java_io_gputide_Library_openNative(JNIEnv* env, jclass type, jbyteArray path,
                                                                jbyteArray bundled) {
    (void)type;
    char *const path_text = text_of(env, path), *const bundled_text = text_of(env, bundled);
    char* message = gputide_library_open(path_text, bundled_text);
    free(path_text);
    free(bundled_text);
    if (message == NULL) return NULL;
    const jbyteArray array = array_of(env, message, strlen(message));
    free(message);
    return array;
}

JNIEXPORT jbyteArray JNICALL Java_io_gputide_Library_pathNative(JNIEnv* env, jclass type) {
    (void)type;
    const char* const path = gputide_library_path();
    return array_of(env, path, strlen(path));
}

JNIEXPORT jlong JNICALL MEMORY(address)(JNIEnv* env, jclass type, jobject buffer) {
    (void)type;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

/* Bytes of 0; 0: there is no memory. */
JNIEXPORT jlong JNICALL MEMORY(allocate)(JNIEnv* env, jclass type, jlong size) {
    (void)env, (void)type;
    return (jlong)(intptr_t)calloc(1, (size_t)size);
}

JNIEXPORT void JNICALL MEMORY(release)(JNIEnv* env, jclass type, jlong address) {
    (void)env, (void)type;
    free((void*)(intptr_t)address);
}

JNIEXPORT jobject JNICALL MEMORY(view)(JNIEnv* env, jclass type, jlong address, jlong size) {
    (void)type;
    return (*env)->NewDirectByteBuffer(env, (void*)(intptr_t)address, size);
}

JNIEXPORT void JNICALL MEMORY(write)(JNIEnv* env, jclass type, jlong address, jbyteArray bytes) {
    (void)type;
    (*env)->GetByteArrayRegion(env, bytes, 0, (*env)->GetArrayLength(env, bytes), (jbyte*)(intptr_t)address);
}

JNIEXPORT void JNICALL MEMORY(writeLongs)(JNIEnv* env, jclass type, jlong address, jlongArray numbers) {
    (void)type;
    (*env)->GetLongArrayRegion(env, numbers, 0, (*env)->GetArrayLength(env, numbers), (jlong*)(intptr_t)address);
}

JNIEXPORT void JNICALL MEMORY(writeInts)(JNIEnv* env, jclass type, jlong address, jintArray numbers) {
    (void)type;
    (*env)->GetIntArrayRegion(env, numbers, 0, (*env)->GetArrayLength(env, numbers), (jint*)(intptr_t)address);
}

JNIEXPORT void JNICALL MEMORY(writeDoubles)(JNIEnv* env, jclass type, jlong address, jdoubleArray numbers) {
    (void)type;
    (*env)->GetDoubleArrayRegion(env, numbers, 0, (*env)->GetArrayLength(env, numbers), (jdouble*)(intptr_t)address);
}

JNIEXPORT jbyteArray JNICALL MEMORY(read)(JNIEnv* env, jclass type, jlong address, jlong size) {
    (void)type;
    return array_of(env, (const char*)(intptr_t)address, (uint64_t)size);
}

/* As read, up to a NUL. */
JNIEXPORT jbyteArray JNICALL MEMORY(readText)(JNIEnv* env, jclass type, jlong address) {
    (void)type;
    const char* const text = (const char*)(intptr_t)address;
    return text == NULL ? NULL : array_of(env, text, strlen(text));
}
