import { APIError } from '@commonplace/client';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connection } from './api/connection.ts';
import { App } from './app.tsx';
import './design/styles.css';

connection.watch(window);

/** A refusal of the API is shown on the page, and is no fault of it. */
function noteFault(error: unknown): void {
  if (!(error instanceof APIError)) console.error(error);
}

createRoot(document.getElementById('root') as HTMLElement, { onCaughtError: noteFault }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
