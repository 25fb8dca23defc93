import '@fontsource/inter/400.css';
import '@fontsource/inter/600.css';
import './shared/theme/mantine.js';
import './shared/theme/tokens.css';
import './shared/theme/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Messages } from './app/Messages.js';
import { reportUnknownPeriod } from './app/messages.js';
import { queryClient } from './app/query-client.js';
import { router } from './app/router.js';
import { theme } from './shared/theme/theme.js';

reportUnknownPeriod();
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <Messages />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
