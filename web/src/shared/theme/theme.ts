import { createTheme, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#eef6f3',
  '#d7ebe3',
  '#aed7c8',
  '#82c2ab',
  '#5eb193',
  '#3f9d7c',
  '#2a7d61',
  '#1d6f54',
  '#175a45',
  '#0f4434',
];

/** White text is legible on shade 7 in the light and shade 6 in the dark scheme. */
export const theme = createTheme({
  primaryColor: 'brand',
  colors: { brand },
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 8,
  fontFamily: 'Inter, system-ui, sans-serif',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
