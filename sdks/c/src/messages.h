/* Generated from packages/sdk/messages.json by packages/sdk/scripts/messages.ts. Do not edit. */
#ifndef LICENSING_MESSAGES_H
#define LICENSING_MESSAGES_H

/* Returns the text about a code for the users of an application: the one of the code, of its group, or a general one.
   The language is a tag such as `de` or `de-AT`; English stands for an unknown one. NULL is unknown.
   The text is UTF-8, is never NULL, and is not freed. */
const char *message_for(const char *code, const char *language);

#endif
