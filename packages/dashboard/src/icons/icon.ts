import { createElement, type FunctionComponent, type SVGProps } from 'react';

interface IconProps extends SVGProps<SVGSVGElement> {
  readonly size?: number;
}

/** A component that draws an icon. */
export type IconComponent = FunctionComponent<IconProps>;

/** An element of an icon: its tag and attributes. */
type Element = readonly [tag: string, attributes: Readonly<Record<string, string>>];

const isName = (property: string) => property.startsWith('aria-') || property === 'role';

/** Returns the component of an icon on a canvas of 24 by 24. It is hidden from screen readers unless it has a name. */
export function icon(elements: readonly Element[]): IconComponent {
  const content = elements.map(([tag, attributes], key) => createElement(tag, { ...attributes, key }));
  return ({ size = 24, ...properties }) =>
    createElement(
      'svg',
      {
        ...{ width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor' },
        ...{ strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' },
        'aria-hidden': Object.keys(properties).some(isName) ? undefined : true,
        ...properties,
      },
      content,
    );
}
