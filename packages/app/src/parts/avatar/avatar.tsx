// The avatar of a person, a bot or a group: round for people, square for bots. Never the only sign of either.
import type { VNode } from 'preact'
import './avatar.css'
import { Icon } from '../icons/icon.tsx'
import { pictureKnownOf } from './avatars.ts'
import { hueOf, initialsOf, pictureOf } from './face.ts'

export type AvatarSize = 'xs' | 's' | 'm' | 'xl'

type AvatarProps = {
  id: string
  name: string
  bot?: boolean | undefined
  /** For a person without a private chat; the pictures of all others are known. */
  avatar?: string | undefined
  size?: AvatarSize
}

const iconSizes = { xs: 16, s: 20, m: 24, xl: 44 } as const

/** The name is next to it, so that it is not read out twice. */
export function Avatar({ id, name, bot, avatar, size = 'm' }: AvatarProps): VNode {
  const picture = pictureOf(avatar ?? pictureKnownOf(id))
  const letters = initialsOf(name)
  return (
    <span
      class={`avatar avatar-${size} ${bot ? 'avatar-bot' : ''}`}
      style={{ '--hue': String(hueOf(id)) }}
      aria-hidden="true"
    >
      {picture ? (
        <img class="avatar-picture" src={picture} alt="" decoding="async" draggable={false} />
      ) : letters ? (
        <bdi>{letters}</bdi>
      ) : (
        <Icon name={bot ? 'bot' : 'user'} size={iconSizes[size]} />
      )}
    </span>
  )
}
