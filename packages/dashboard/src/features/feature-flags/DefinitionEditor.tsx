import { Anchor, List, Text } from '@mantine/core';
import { useId } from 'react';
import type { ProblemDetail } from '../../api/problem.ts';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { fromText } from './definition.ts';
import { positionOf } from './json-position.ts';

interface DefinitionEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The service's mistakes in the definition, with paths that begin with `definition`. */
  readonly mistakes: readonly ProblemDetail[];
}

const pathOf = ({ field }: ProblemDetail) => field.split('.').slice(1);

/** A field for a flag's definition. Each mistake names its line, and leads there. */
export function DefinitionEditor({ value, onChange, mistakes }: DefinitionEditorProps) {
  const id = useId();
  const isJson = fromText(value) !== undefined;
  const goTo = (mistake: ProblemDetail) => {
    const { offset } = positionOf(value, pathOf(mistake));
    const lineEnd = value.indexOf('\n', offset);
    const field = document.getElementById(id);
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    field.setSelectionRange(offset, lineEnd === -1 ? value.length : lineEnd);
  };
  const list = mistakes.length > 0 && (
    <div role="alert">
      <List size="sm" spacing={2}>
        {mistakes.map((mistake) => (
          <List.Item key={`${mistake.field} ${mistake.message}`}>
            {isJson && (
              <>
                <Anchor component="button" type="button" inherit onClick={() => goTo(mistake)}>
                  Line {positionOf(value, pathOf(mistake)).line}
                </Anchor>
                {': '}
              </>
            )}
            <b>{pathOf(mistake).join('.') || 'definition'}</b> {mistake.message}
          </List.Item>
        ))}
      </List>
    </div>
  );
  return (
    <JsonEditor
      id={id}
      label="Definition"
      description={
        <Text span inherit>
          A flag in the format of flagd: <code>state</code>, <code>variants</code>, <code>defaultVariant</code> and{' '}
          <code>targeting</code>. Rules can use <code>plan</code>, <code>tenant_id</code> and what the application
          sends.
        </Text>
      }
      minRows={14}
      // Formatting would move the lines away under the person who goes to one.
      formatOnBlur={false}
      value={value}
      onChange={onChange}
      error={list}
      errorProps={{ component: 'div' }}
    />
  );
}
