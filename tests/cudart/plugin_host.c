/* plugin_host.c - a program that is not CUDA itself and loads a library that is. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*run)(int) = NULL;
    if (library)
        *(void **)&run = dlsym(library, "plugin_run");
    if (!run) {
        printf("%s\n", dlerror());
        return 1;
    }
    return run(1000);
}
