import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

/** Whoever sits at this machine may do everything; a real application puts the guard of its administrators here. */
@Injectable()
export class OnThisMachineGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { socket } = context.switchToHttp().getRequest<IncomingMessage>();
    return ownAddresses.includes(socket.remoteAddress ?? '');
  }
}
