import { Stepper } from '@mantine/core';
import { Hint } from '../../components/Texts.tsx';

const steps = ['Choose the shop', 'Address and secret', 'What is sold'] as const;

/** The three steps of connecting a shop. `active` is the number of the present one, from 0. */
export function SetupSteps({ active }: { readonly active: number }) {
  return (
    <>
      <Hint hiddenFrom="sm">
        Step {active + 1} of {steps.length}: {steps[active]}
      </Hint>
      <Stepper
        active={active}
        size="sm"
        allowNextStepsSelect={false}
        visibleFrom="sm"
        aria-label="Steps of connecting a shop"
      >
        {steps.map((label) => (
          <Stepper.Step key={label} label={label} />
        ))}
      </Stepper>
    </>
  );
}
