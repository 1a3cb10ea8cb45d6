import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const languages = ['en', 'de', 'fr'] as const;

/** The text of each code, or of all codes of a group (`NETWORK.*`), or of all others (`*`), in each language. */
export type Messages = Readonly<Record<string, Readonly<Record<(typeof languages)[number], string>>>>;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const origin = 'Generated from packages/sdk/messages.json by packages/sdk/scripts/messages.ts. Do not edit.';
const explanation = [
  'Returns the text about a code for the users of an application: the one of the code, of its group, or a general one.',
  'The language is a tag such as `de` or `de-AT`; English stands for an unknown one.',
] as const;

/** Returns the table messages.json, the texts for the users of an application. */
export function readMessages(): Messages {
  return JSON.parse(readFileSync(join(root, 'packages/sdk/messages.json'), 'utf8'));
}

/**
 * Returns a source file of each SDK with the texts and the function that finds one, by their paths in the repository.
 */
export function generateMessages(messages: Messages): Readonly<Record<string, string>> {
  const rows = Object.entries(messages).map(([code, texts]) => ({ code, texts: languages.map((name) => texts[name]) }));
  return {
    'packages/sdk/src/messages.ts': typeScript(rows),
    'sdks/python/src/licensing_sdk/_messages.py': python(rows),
    'sdks/go/messages.go': go(rows),
    'sdks/c/src/messages.h': cHeader(),
    'sdks/c/src/messages.c': c(rows),
  };
}

type Rows = readonly { readonly code: string; readonly texts: readonly string[] }[];

function typeScript(rows: Rows): string {
  const quoted = (text: string) => `'${text}'`;
  const entries = rows.map(({ code, texts }) => {
    const line = `  ${quoted(code)}: [${texts.map(quoted).join(', ')}],`;
    return line.length <= 120
      ? line
      : `  ${quoted(code)}: [\n${texts.map((text) => `    ${quoted(text)},\n`).join('')}  ],`;
  });
  return `// ${origin}

const languages: readonly string[] = [${languages.map(quoted).join(', ')}];

/** The texts of each code in the order of the languages. */
const texts: Readonly<Record<string, readonly string[]>> = {
${entries.join('\n')}
};

/**
 * ${explanation.join('\n * ')}
 */
export function messageFor(code: string, language = 'en'): string {
  const [primary = ''] = language.toLowerCase().split(/[^a-z]/);
  const position = Math.max(0, languages.indexOf(primary));
  const found = [code, code.replace(/\\..*/, '.*'), '*'].find((key) => Object.hasOwn(texts, key));
  return texts[found ?? '*']?.[position] ?? '';
}
`;
}

function python(rows: Rows): string {
  const entries = rows.map(({ code, texts }) => {
    return `    "${code}": (\n${texts.map((text) => `        "${text}",\n`).join('')}    ),\n`;
  });
  return `# ${origin}
"""The texts about a license for the users of an application."""

import re
from typing import Dict, Tuple

_LANGUAGES = (${languages.map((name) => `"${name}"`).join(', ')})
"""The order of the texts of each code."""

_TEXTS: Dict[str, Tuple[str, str, str]] = {
${entries.join('')}}


def message_for(code: str, language: str = "en") -> str:
    """${explanation.join('\n    ')}
    """
    primary = re.split("[^a-z]", language.lower())[0]
    position = _LANGUAGES.index(primary) if primary in _LANGUAGES else 0
    group = code.split(".")[0] + ".*"
    return (_TEXTS.get(code) or _TEXTS.get(group) or _TEXTS["*"])[position]
`;
}

function go(rows: Rows): string {
  const entries = rows.map(
    ({ code, texts }) => `\t"${code}": {\n${texts.map((text) => `\t\t"${text}",\n`).join('')}\t},\n`,
  );
  return `// Code ${origin.replace('Generated', 'generated').replace('. Do not edit.', '; DO NOT EDIT.')}

package licensing

import "strings"

// messageTexts has the texts of each code in the order of messageLanguages.
var messageTexts = map[string][${languages.length}]string{
${entries.join('')}}

var messageLanguages = [...]string{${languages.map((name) => `"${name}"`).join(', ')}}

// messageFor returns the text about a code for the users of an application: the one of the code, of its group, or a
// general one. ${explanation[1].replaceAll('`', '')}
func messageFor(code, language string) string {
	group, _, _ := strings.Cut(code, ".")
	texts, isKnown := messageTexts[code]
	if !isKnown {
		texts, isKnown = messageTexts[group+".*"]
	}
	if !isKnown {
		texts = messageTexts["*"]
	}
	primary := strings.FieldsFunc(strings.ToLower(language), func(one rune) bool { return one < 'a' || one > 'z' })
	for position, name := range messageLanguages {
		if len(primary) > 0 && primary[0] == name {
			return texts[position]
		}
	}
	return texts[0]
}
`;
}

function cHeader(): string {
  return `/* ${origin} */
#ifndef LICENSING_MESSAGES_H
#define LICENSING_MESSAGES_H

/* ${explanation.join('\n   ')} NULL is unknown.
   The text is UTF-8, is never NULL, and is not freed. */
const char *message_for(const char *code, const char *language);

#endif
`;
}

/** Returns a literal in which every byte outside ASCII is an escape: not every compiler reads sources as UTF-8. */
function cLiteral(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`,
  );
  return `"${bytes.join('')}"`;
}

function c(rows: Rows): string {
  const entries = rows.map(({ code, texts }) => {
    return `  {"${code}",\n   {${texts.map(cLiteral).join(',\n    ')}}},\n`;
  });
  return `/* ${origin} */
#include "messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct message {
  /* A code, \`GROUP.*\` or \`*\`. */
  const char *code;
  const char *texts[${languages.length}];
} message;

static const char *const languages[] = {${languages.map((name) => `"${name}"`).join(', ')}};

static const message messages[] = {
${entries.join('')}};

static bool is_letter(char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); }

static char lower_case(char one) { return one >= 'A' && one <= 'Z' ? (char)(one - 'A' + 'a') : one; }

/* Returns the position of a language among the texts. */
static size_t position_of(const char *language) {
  for (size_t position = 0; language != NULL && position < sizeof languages / sizeof *languages; position++) {
    const char *name = languages[position];
    if (lower_case(language[0]) == name[0] && lower_case(language[1]) == name[1] && !is_letter(language[2])) {
      return position;
    }
  }
  return 0;
}

/* Returns how well an entry fits a code: 3 is the code itself, 2 its group, 1 any code, and 0 does not fit. */
static int fit_of(const char *entry, const char *code) {
  if (strcmp(entry, "*") == 0) return 1;
  if (strcmp(entry, code) == 0) return 3;
  const char *star = strchr(entry, '*');
  return star != NULL && strncmp(entry, code, (size_t)(star - entry)) == 0 ? 2 : 0;
}

const char *message_for(const char *code, const char *language) {
  const message *best = &messages[0];
  int best_fit = 0;
  for (size_t index = 0; index < sizeof messages / sizeof *messages; index++) {
    const int fit = fit_of(messages[index].code, code == NULL ? "" : code);
    if (fit > best_fit) {
      best = &messages[index];
      best_fit = fit;
    }
  }
  return best->texts[position_of(language)];
}
`;
}
