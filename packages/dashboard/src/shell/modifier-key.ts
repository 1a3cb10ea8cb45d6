/** The name of the key of shortcuts on this computer. */
export const modifierKey = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl';
