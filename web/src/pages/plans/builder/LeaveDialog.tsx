import { Dialog } from '../../../components/Dialog.js';

interface LeaveDialogProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

export function LeaveDialog({ onStay, onLeave }: LeaveDialogProps) {
  return (
    <Dialog title="Leave without saving?" onClose={onStay} onSubmit={onLeave} action={{ children: 'Leave' }}>
      <p>Your changes pay nothing until you save them. This tab of the browser keeps them until you come back.</p>
    </Dialog>
  );
}
