import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { proposeCode } from '../lib/code.ts';

interface NameAndCodeProps<Values extends { readonly name: string; readonly code: string }> {
  readonly form: UseFormReturnType<Values>;
  /** An existing object keeps its code while its name changes. */
  readonly isNew: boolean;
  readonly codeDescription: string;
  /** The code of an existing object that cannot be changed. */
  readonly isCodeFixed?: boolean;
  readonly namePlaceholder?: string;
}

/** The fields "Name" and "Code". A new object's code is proposed from its name until the person changes it. */
export function NameAndCode<Values extends { readonly name: string; readonly code: string }>(
  props: NameAndCodeProps<Values>,
) {
  const { form, isNew, codeDescription, isCodeFixed = false, namePlaceholder } = props;
  const [isOwnCode, setOwnCode] = useState(false);
  const isProposed = isNew && !isOwnCode;
  const name = form.getInputProps('name');
  const code = form.getInputProps('code');
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        {...(namePlaceholder !== undefined && { placeholder: namePlaceholder })}
        {...name}
        onChange={(event) => {
          name.onChange(event);
          if (isProposed) code.onChange(proposeCode(event.currentTarget.value));
        }}
        data-autofocus
      />
      <TextInput
        label="Code"
        description={codeDescription}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        disabled={isCodeFixed}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...code}
        // A proposal is replaced by what the person types, not continued.
        onFocus={(event) => {
          if (isProposed) event.currentTarget.select();
        }}
        onChange={(event) => {
          setOwnCode(event.currentTarget.value !== '');
          code.onChange(event);
        }}
      />
    </>
  );
}
