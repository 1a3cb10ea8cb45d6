import {
  type ActionIconProps,
  type AlertProps,
  type BadgeProps,
  type ButtonProps,
  type CardProps,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  type NumberInputProps,
  type PaperProps,
  type PasswordInputProps,
  type SelectProps,
  type TableProps,
  type TabsProps,
  type TextareaProps,
  type TextInputProps,
  type TooltipProps,
} from '@mantine/core';

/** The one accent colour. Shades 7 and 8 have a contrast of at least 7:1 with white. */
const accent: MantineColorsTuple = [
  '#eef2ff',
  '#dfe5fd',
  '#bcc8f8',
  '#97a9f4',
  '#788ff0',
  '#657eee',
  '#4c64dd',
  '#3b51c5',
  '#3346b0',
  '#283a9b',
];

/** Neutral greys with a trace of blue; the dark scheme's surfaces. */
const dark: MantineColorsTuple = [
  '#d5d7e0',
  '#b4b8c5',
  '#9ca1b1',
  '#7d8294',
  '#4d5163',
  '#373b4b',
  '#2a2d3a',
  '#1b1d26',
  '#15171e',
  '#0f1016',
];

/** Mantine's reds, but for shade 7: white text on a button of the dark scheme had a contrast of 3.8:1. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#e03131',
  '#e03131',
  '#c92a2a',
];

const quick = { transitionProps: { duration: 120 } };

const closeButton = { closeButtonProps: { 'aria-label': 'Close' } };

/** What the title bars of dialogs are for a screen reader: no landmark. */
const titleBar = { defaultProps: { role: 'presentation' } };

/** Sets defaults of a component. Its own `extend` would load its code with the first screen, whether it shows it or not. */
function defaults<Props>(defaultProps: Partial<Props>): { readonly defaultProps: Partial<Props> } {
  return { defaultProps };
}

/** Mantine's text of light and subtle buttons is almost white in the dark scheme, so that "Revoke" looked like "Edit". */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: { '--mantine-color-red-light-color': red[4], '--mantine-color-accent-light-color': accent[3] },
});

/** The look of every screen: dense, neutral, one accent colour, and an 8-pixel grid. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 7 },
  colors: { accent, dark, red },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.75rem' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.5rem' },
      h3: { fontSize: '0.875rem', lineHeight: '1.25rem' },
    },
  },
  components: {
    ActionIcon: defaults<ActionIconProps>({ variant: 'subtle', color: 'gray' }),
    // Mantine's background is as strong as a badge's, which is too much for a wide surface.
    Alert: {
      vars: (_theme: unknown, { color = 'accent' }: AlertProps) => ({
        root: {
          '--alert-bg': `color-mix(in srgb, var(--mantine-color-${color}-light) 50%, var(--mantine-color-body))`,
        },
      }),
    },
    Badge: defaults<BadgeProps>({ variant: 'light', radius: 'sm', tt: 'none', fw: 500, miw: 'max-content' }),
    Button: defaults<ButtonProps>({ size: 'sm' }),
    Card: defaults<CardProps>({ withBorder: true, padding: 'lg' }),
    // Mantine's title bars are `header` elements, which would be second banners beside the window's.
    DrawerHeader: titleBar,
    Drawer: defaults<DrawerProps>({ position: 'right', size: 'lg', ...closeButton, ...quick }),
    Menu: defaults<MenuProps>({ shadow: 'md', ...quick }),
    Modal: defaults<ModalProps>({ centered: true, ...closeButton, ...quick }),
    Notification: defaults<NotificationProps>({ closeButtonProps: { 'aria-label': 'Dismiss' } }),
    ModalHeader: titleBar,
    NumberInput: defaults<NumberInputProps>({ size: 'sm' }),
    Paper: defaults<PaperProps>({ withBorder: true }),
    // Mantine leaves the button out of the tab order, and its name contains "password" like the field's label.
    PasswordInput: defaults<PasswordInputProps>({
      size: 'sm',
      visibilityToggleButtonProps: { 'aria-label': 'Show the characters', tabIndex: 0 },
    }),
    Select: defaults<SelectProps>({ size: 'sm', checkIconPosition: 'right' }),
    Table: defaults<TableProps>({ verticalSpacing: 8, horizontalSpacing: 'sm' }),
    Tabs: defaults<TabsProps>({ keepMounted: false }),
    Textarea: defaults<TextareaProps>({ size: 'sm', autosize: true, minRows: 2 }),
    TextInput: defaults<TextInputProps>({ size: 'sm' }),
    Tooltip: defaults<TooltipProps>({ openDelay: 300, events: { hover: true, focus: true, touch: true } }),
  },
});
