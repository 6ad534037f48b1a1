"""Days and times as people write them where they live; what QLocale has no form for is translated."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

translate = QCoreApplication.translate


def short_day(day: QDate) -> str:
    """Return "2 May", with the year when it is not the present one."""
    if day.year() == QDate.currentDate().year():
        return QLocale().toString(day, translate("Dates", "d MMM"))
    return QLocale().toString(day, translate("Dates", "d MMM yyyy"))


def short_time(moment: QDateTime) -> str:
    """Return "21:41", or "9:41 PM" where people write that."""
    return QLocale().toString(moment.time(), QLocale.FormatType.ShortFormat)


def short_moment(moment: QDateTime) -> str:
    """Return "2 May, 21:41"; today is called by that name."""
    day = moment.date()
    name = translate("Dates", "today") if day == QDate.currentDate() else short_day(day)
    return translate("Dates", "{day}, {time}").format(day=name, time=short_time(moment))
