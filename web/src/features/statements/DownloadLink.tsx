import { downloadStatement, type StatementFormat, useDownload } from '../../api/download.js';
import { LinkButton } from '../../components/Button.js';

interface DownloadLinkProps {
  readonly repId: string;
  readonly period: string;
  readonly children: React.ReactNode;
}

/** Downloads a statement as PDF. */
export function DownloadLink({ repId, period, children }: DownloadLinkProps) {
  const { start, ratio } = useDownload((format: StatementFormat, onProgress) =>
    downloadStatement(repId, period, format, onProgress),
  );
  return (
    <LinkButton isBusy={ratio !== null} onClick={() => start('pdf')}>
      {children}
    </LinkButton>
  );
}
