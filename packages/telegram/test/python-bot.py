"""A bot of python-telegram-bot 13, unchanged but for the address."""

import io
import sys

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputMediaDocument, ParseMode
from telegram.ext import CallbackQueryHandler, CommandHandler, Filters, MessageHandler, Updater

root, token = sys.argv[1:]
updater = Updater(token, base_url=f"{root}/bot", base_file_url=f"{root}/file/bot", use_context=True)
on = updater.dispatcher.add_handler


def start(update, context):
    name = update.effective_user.first_name
    update.message.reply_text(f"<b>Hi</b> {name}", parse_mode=ParseMode.HTML)


def menu(update, context):
    keyboard = [[InlineKeyboardButton("Yes", callback_data="y"), InlineKeyboardButton("No", callback_data="n")]]
    update.message.reply_text("Well?", reply_markup=InlineKeyboardMarkup(keyboard))


def pressed(update, context):
    update.callback_query.answer("Noted")
    update.callback_query.edit_message_text(f"You said {update.callback_query.data}")


def poll(update, context):
    context.bot.send_poll(update.effective_chat.id, "Lunch?", ["Soup", "Salad"], is_anonymous=False)


def album(update, context):
    files = [io.BytesIO(b"one"), io.BytesIO(b"two")]
    media = [InputMediaDocument(file, filename=f"{at}.txt") for at, file in enumerate(files)]
    media[0].caption = "Two files"
    sent = context.bot.send_media_group(update.effective_chat.id, media)
    update.message.reply_text(f"sent {len(sent)} in {len({message.media_group_id for message in sent})}")


def document(update, context):
    content = update.message.document.get_file().download_as_bytearray()
    update.message.reply_document(io.BytesIO(bytes(content).upper()), filename="upper.txt", caption="Here")


def echo(update, context):
    update.message.reply_text(update.message.text, quote=True)


on(CommandHandler("start", start))
on(CommandHandler("menu", menu))
on(CommandHandler("poll", poll))
on(CommandHandler("album", album))
on(CallbackQueryHandler(pressed))
on(MessageHandler(Filters.document, document))
on(MessageHandler(Filters.text, echo))
updater.start_polling()
updater.idle()
