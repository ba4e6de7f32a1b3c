// JSON lines on a socket: all of a turn in one write.
import type { Socket } from 'node:net'

export class Lines<Message> {
  readonly #socket: Socket
  #waiting = ''

  constructor(socket: Socket, onMessage: (message: Message) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('utf8')
    let rest = ''
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onMessage(JSON.parse(line) as Message)
    })
  }

  send(message: Message): void {
    if (this.#waiting === '') process.nextTick(() => this.#flush())
    this.#waiting += `${JSON.stringify(message)}\n`
  }

  end(): void {
    this.#socket.destroy()
  }

  #flush(): void {
    this.#socket.write(this.#waiting)
    this.#waiting = ''
  }
}
