import { IconExternalLink } from '@tabler/icons-react';
import { type Deal } from '../../api/queries.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { providerName } from './deal-values.js';

type LinkedDeal = Pick<Deal, 'crmUrl' | 'provider' | 'name' | 'deal_id'>;

/** The page of the deal in its CRM, in another tab; null if it is not known. */
function target({ crmUrl, provider, name, deal_id: dealId }: LinkedDeal) {
  if (crmUrl === null || provider === null || !crmUrl.startsWith('https://')) return null;
  const product = providerName(provider);
  const props = {
    href: crmUrl,
    target: '_blank',
    rel: 'noreferrer',
    'aria-label': `Open ${name ?? dealId} in ${product}`,
  };
  return { product, props };
}

export function CrmButton({ deal }: { readonly deal: LinkedDeal }) {
  const found = target(deal);
  if (found === null) return null;
  return (
    <a {...found.props} className={buttonClass()}>
      <ButtonContent icon={IconExternalLink}>{found.product}</ButtonContent>
    </a>
  );
}

/** The link in the row of a list. */
export function CrmLink({ deal }: { readonly deal: LinkedDeal }) {
  const found = target(deal);
  if (found === null) return null;
  return (
    <a {...found.props}>
      {found.product} <IconExternalLink size={12} aria-hidden="true" />
    </a>
  );
}
