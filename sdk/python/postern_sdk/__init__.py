"""Bots for Postern. Every update is handled at least once, and no message is sent twice."""

from .api import Api
from .bot import Bot
from .context import Context
from .errors import ApiError, GatewayAway
from .objects import Button, Chat, CreatedToken, Entity, FileInfo, Me, Message, Notice, Person, Poll, Token, Update, Webhook
from .signature import is_signed

__all__ = [
    "Api",
    "ApiError",
    "Bot",
    "Button",
    "Chat",
    "Context",
    "CreatedToken",
    "Entity",
    "FileInfo",
    "GatewayAway",
    "Me",
    "Message",
    "Notice",
    "Person",
    "Poll",
    "Token",
    "Update",
    "Webhook",
    "is_signed",
]
