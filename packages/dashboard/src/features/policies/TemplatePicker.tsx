import { Group, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import classes from '../../components/Choice.module.css';
import { Hint } from '../../components/Texts.tsx';
import { type PolicyTemplate, policyTemplates } from './templates.ts';

interface TemplatePickerProps {
  readonly selected: PolicyTemplate['id'] | undefined;
  readonly onSelect: (template: PolicyTemplate) => void;
}

/** The usual licensing models as buttons. Choosing one fills in the form. */
export function TemplatePicker({ selected, onSelect }: TemplatePickerProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3, xl: 5 }} spacing="xs" role="group" aria-label="Licensing model">
      {policyTemplates.map((template) => (
        <UnstyledButton
          key={template.id}
          className={classes['choice'] ?? ''}
          aria-pressed={template.id === selected}
          onClick={() => onSelect(template)}
        >
          <Group gap={8} wrap="nowrap">
            <template.icon size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
            <Text fw={600}>{template.name}</Text>
          </Group>
          <Hint mt={2}>{template.description}</Hint>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  );
}
