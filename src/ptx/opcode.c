/* opcode.c - names of mnemonics, types and modifiers. */
#include "ptx/opcode.h"

#include <pthread.h>
#include <string.h>

static const char *const mnemonic_names[PTX_N_MNEMONICS] = {"",
#define X(name) #name,
                                                            PTX_MNEMONICS(X)
#undef X
};

static const char *const modifier_names[PTX_N_MODIFIERS] = {
#define X(id, text, bytes, kind) [PTX_##id] = text,
    PTX_TYPES(X)
#undef X
#define X(id, text) [PTX_M_##id] = text,
        PTX_MODIFIERS(X)
#undef X
};

static const struct {
    uint8_t bytes;
    char kind;
} types[PTX_N_TYPES] = {
#define X(id, text, bytes, kind) [PTX_##id] = {bytes, kind},
    PTX_TYPES(X)
#undef X
};

/* Both tables are small and closed: a hash built once, read by all. */
#define SLOTS 1024
static uint16_t mnemonic_slots[SLOTS], modifier_slots[SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint32_t slot_of(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return (h ^ h >> 13) & (SLOTS - 1);
}

static void slots_add(uint16_t *slots, const char *text, unsigned number)
{
    uint32_t i = slot_of(text, strlen(text));
    while (slots[i])
        i = (i + 1) & (SLOTS - 1);
    slots[i] = (uint16_t)number;
}

static void slots_build(void)
{
    for (unsigned i = 1; i < PTX_N_MNEMONICS; i++)
        slots_add(mnemonic_slots, mnemonic_names[i], i);
    for (unsigned i = 1; i < PTX_N_MODIFIERS; i++)
        if (modifier_names[i])
            slots_add(modifier_slots, modifier_names[i], i);
}

static unsigned slots_find(const uint16_t *slots, const char *const *names, const char *text,
                           size_t length)
{
    pthread_once(&slots_once, slots_build);
    for (uint32_t i = slot_of(text, length); slots[i]; i = (i + 1) & (SLOTS - 1)) {
        const char *name = names[slots[i]];
        if (strlen(name) == length && !memcmp(name, text, length))
            return slots[i];
    }
    return 0;
}

unsigned ptx_mnemonic_find(const char *text, size_t length)
{
    return slots_find(mnemonic_slots, mnemonic_names, text, length);
}

unsigned ptx_modifier_find(const char *text, size_t length)
{
    return slots_find(modifier_slots, modifier_names, text, length);
}

const char *ptx_mnemonic_name(unsigned mnemonic)
{
    return mnemonic < PTX_N_MNEMONICS ? mnemonic_names[mnemonic] : "";
}

const char *ptx_modifier_name(unsigned modifier)
{
    return modifier < PTX_N_MODIFIERS && modifier_names[modifier] ? modifier_names[modifier] : "";
}

unsigned ptx_type_bytes(unsigned type)
{
    return type < PTX_N_TYPES ? types[type].bytes : 0;
}

char ptx_type_kind(unsigned type)
{
    return type < PTX_N_TYPES ? types[type].kind : 0;
}
