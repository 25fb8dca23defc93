import { IconDownload } from '@tabler/icons-react';
import { downloadPersonalData, useDownload } from '../../api/download.js';
import { Button } from '../../components/Button.js';
import { formatPercent } from '../../shared/format/numbers.js';

/** Everything that is stored about the person, as one file. */
export function PersonalData({ repId }: { readonly repId: string }) {
  const { start, ratio } = useDownload((_kind, onProgress) => downloadPersonalData(repId, onProgress));
  return (
    <Button icon={IconDownload} isBusy={ratio !== null} onClick={() => start()}>
      {ratio === null ? 'Download data' : `Download data ${formatPercent(ratio, 0)}`}
    </Button>
  );
}
