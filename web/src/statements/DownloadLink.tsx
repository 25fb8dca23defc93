import { useState } from 'react';
import { showMessage, showProblem } from '../app/messages.js';
import { LinkButton } from '../components/Button.js';
import { downloadStatement, type StatementFormat } from './download.js';

interface DownloadLinkProps {
  readonly repId: string;
  readonly period: string;
  readonly format: StatementFormat;
  readonly children: React.ReactNode;
}

/** Downloads a statement as a file, when it has been made. */
export function DownloadLink({ repId, period, format, children }: DownloadLinkProps) {
  const [isBusy, setBusy] = useState(false);
  const start = () => {
    setBusy(true);
    downloadStatement(repId, period, format)
      .then(() => showMessage('The file was downloaded.'))
      .catch(showProblem)
      .finally(() => setBusy(false));
  };
  return (
    <LinkButton isBusy={isBusy} onClick={start}>
      {children}
    </LinkButton>
  );
}
