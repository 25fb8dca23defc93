import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { phone } from '../shared/theme/breakpoints.js';
import styles from './Messages.module.css';

/** Short messages, where they cover no control: in the middle of the header, on a phone above the bar of the page. */
export function Messages() {
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  return (
    <Notifications
      position={isPhone ? 'bottom-center' : 'top-center'}
      containerWidth={360}
      className={isPhone ? styles.phone : undefined}
    />
  );
}
